/* What a step of the query decides, in one sentence. */
import { short } from './ui.js';

const names = ['', 'point', 'edge', 'triangle', 'tetrahedron'];
export const simplexName = (count) => names[count];

const same = (p, q) => p.every((x, i) => x === q[i]);
const samePair = (p, q) => same(p.a, q.a) && same(p.b, q.b);

export const isDepth = (step) => step.surface.length > 0 || (Number.isFinite(step.lower) && step.upper <= 0 && step.support.indexA === null && step.support.a.every((x) => x === 0));
export const encloses = (step) => !Number.isFinite(step.lower);

const endings = {
  converged: 'nothing lies farther: the bounds meet, and this is the answer.',
  rounding: 'rounding allows no further progress; the bounds say how good it is.',
  iterations: 'the limit of iterations is reached; the bounds say how good it is.',
  cutoff: 'enough is known.',
  workspace: 'the workspace is full; the bounds say how good it is.',
};

/* Bounds that look the same are told by what is between them. */
function atLeast({ lower, upper }, radius) {
  const [low, high] = [short(lower - radius), short(upper - radius)];
  return low === high ? `less by no more than ${short(upper - lower, 2)}` : `at least ${low}`;
}

function depthSentence(trace, k) {
  const step = trace.steps[k];
  const radius = trace.radiusA + trace.radiusB;
  const face = step.simplex.length === 2 ? 'edge' : 'face';
  const least = `The nearest ${face} says: the depth is at least ${short(radius - step.upper)}. `;
  if (k + 1 === trace.steps.length) return `${least}The set ends there: ${endings[trace.result.stop]}`;
  return `${least}The set goes on to ${short(radius - step.lower)} that way, so the ${face === 'edge' ? 'ring' : 'surface'} moves out to it.`;
}

export function sentence(trace, k) {
  const step = trace.steps[k];
  if (isDepth(step)) return depthSentence(trace, k);
  const radius = trace.radiusA + trace.radiusB;
  const who = radius > 0 ? 'cores' : 'bodies';
  if (encloses(step)) {
    return `The ${names[step.simplex.length]} holds the origin: a point of A and a point of B coincide, the ${who} overlap${k + 1 < trace.steps.length ? '. Now the search for the shortest way out begins.' : '.'}`;
  }
  const at = `${step.simplex.length === 1 ? 'v is the one point there is' : `v is the point of the ${names[step.simplex.length]} nearest to the origin`}: the distance is at most ${short(step.upper - radius)}. `;
  const bound = step.lower > 0 ? `w shows that it is ${atLeast(step, radius)}; ` : 'w lies beyond the origin, no plane square to v separates them; ';
  if (k + 1 === trace.steps.length) return `${at}${bound}${endings[trace.result.stop]}`;
  const next = trace.steps[k + 1];
  if (step.simplex.some((p) => samePair(p, step.support))) return `${at}${bound}w is a corner already, yet the bounds are apart: look harder${next.fallback ? ', in double-double arithmetic' : ''}.`;
  const kept = step.simplex.filter((p) => next.simplex.some((q) => samePair(p, q))).length;
  return `${at}${bound}w is new and nearer, so it joins${kept < step.simplex.length && !isDepth(next) ? `, and ${step.simplex.length - kept === 1 ? 'one corner' : `${step.simplex.length - kept} corners`} that v does not need ${step.simplex.length - kept === 1 ? 'goes' : 'go'}` : ''}.`;
}
