/* The choice of shapes: names for people, parameters with their ranges. */
const length = (name, value) => ({ name, value, min: 0.05, max: 2, step: 0.01 });
const place = (name, value) => ({ name, value, min: -2, max: 2, step: 0.05 });

export const choices = {
  random: { title: 'random hull', dim: 3, parameters: [{ name: 'points', value: 24, min: 4, max: 300, step: 1 }, { name: 'seed', value: 7, min: 1, max: 999, step: 1 }] },
  box: { title: 'box', dim: 3, parameters: [length('half x', 0.6), length('half y', 0.9), length('half z', 0.4)] },
  sphere: { title: 'sphere', dim: 3, parameters: [length('radius', 0.8)] },
  capsule: { title: 'capsule', dim: 3, parameters: [length('radius', 0.4), length('half height', 0.7)] },
  cylinder: { title: 'cylinder', dim: 3, parameters: [length('radius', 0.6), length('half height', 0.7)] },
  cone: { title: 'cone', dim: 3, parameters: [length('radius', 0.7), length('half height', 0.7)] },
  ellipsoid: { title: 'ellipsoid', dim: 3, parameters: [length('a', 0.9), length('b', 0.6), length('c', 0.4)] },
  triangle: { title: 'triangle', dim: 3, parameters: [-0.8, -0.5, 0, 0.8, -0.5, 0, 0, 0.9, 0].map((value, i) => place(`${'pqr'[Math.floor(i / 3)]} ${'xyz'[i % 3]}`, value)) },
  segment: { title: 'segment', dim: 3, parameters: [-0.8, 0, 0, 0.8, 0, 0].map((value, i) => place(`${'pq'[Math.floor(i / 3)]} ${'xyz'[i % 3]}`, value)) },
  point: { title: 'point', dim: 3, parameters: ['x', 'y', 'z'].map((name) => place(name, 0)) },
  halfspace: { title: 'half-space', dim: 3, parameters: [place('normal x', 0), place('normal y', 0), place('normal z', 1), place('offset', 0)] },
  hull: { title: 'hull from a file', dim: 3, parameters: [] },
  rectangle: { title: 'rectangle', dim: 2, parameters: [length('half x', 0.9), length('half y', 0.5)] },
  polygon: { title: 'polygon', dim: 2, parameters: [-0.8, -0.5, 0.3, -0.8, 0.9, 0, 0.4, 0.8, -0.6, 0.6].map((value, i) => place(`${'xy'[i % 2]}${Math.floor(i / 2) + 1}`, value)) },
  circle: { title: 'circle', dim: 2, parameters: [length('radius', 0.7)] },
  segment2: { title: 'segment', dim: 2, parameters: [place('p x', -0.7), place('p y', 0), place('q x', 0.7), place('q y', 0.2)] },
};

/* Shapes whose rounding means something on top. */
export const canBeRounded = (word) => !['sphere', 'circle', 'capsule', 'halfspace'].includes(word);

export function defaultText(word) { return `${word}:${choices[word].parameters.map((p) => p.value).join()}`; }

export function split(text) {
  const [word, rest = ''] = text.split(/:(.*)/s);
  const [body, round = '0'] = rest.split('+');
  return { word, values: body.split(',').map(Number), round: Number(round) };
}

export const join = (word, values, round) => `${word}:${values.join()}${round > 0 ? `+${round}` : ''}`;
