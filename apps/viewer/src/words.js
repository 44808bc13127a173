/* What a step of the query decides, in one sentence. */
import { short } from './ui.js';

const names = ['', 'point', 'edge', 'triangle', 'tetrahedron'];
export const simplexName = (count) => names[count];

const same = (p, q) => p.every((x, i) => x === q[i]);
const samePair = (p, q) => same(p.a, q.a) && same(p.b, q.b);

export const isDepth = (step) => step.surface.length > 0 || (Number.isFinite(step.lower) && step.upper <= 0 && step.support.indexA === null && step.support.a.every((x) => x === 0));
export const encloses = (step) => !Number.isFinite(step.lower);

const endings = {
  converged: 'the bounds meet, and this is the answer.',
  rounding: 'rounding allows no further progress; the bounds show how accurate the answer is.',
  iterations: 'the iteration limit is reached; the bounds show how accurate the answer is.',
  cutoff: 'the bounds already decide the cut-off.',
  workspace: 'the workspace is full; the bounds show how accurate the answer is.',
};

/* Bounds that are equal in print are described by their difference. */
function atLeast({ lower, upper }, radius) {
  const [low, high] = [short(lower - radius), short(upper - radius)];
  return low === high ? `at most ${short(upper - lower, 2)} less` : `at least ${low}`;
}

function depthSentence(trace, k) {
  const step = trace.steps[k];
  const radius = trace.radiusA + trace.radiusB;
  const face = step.simplex.length === 2 ? 'edge' : 'face';
  const least = `The nearest ${face} is a lower bound: the depth is at least ${short(radius - step.upper)}. `;
  if (k + 1 === trace.steps.length) return `${least}The support value in its direction is an upper bound: ${endings[trace.result.stop]}`;
  return `${least}The support value in its direction is ${short(radius - step.lower)}, so the ${face === 'edge' ? 'ring' : 'surface'} is expanded to the support point.`;
}

export function sentence(trace, k) {
  const step = trace.steps[k];
  if (isDepth(step)) return depthSentence(trace, k);
  const radius = trace.radiusA + trace.radiusB;
  const who = radius > 0 ? 'cores' : 'bodies';
  if (encloses(step)) {
    return `The ${names[step.simplex.length]} contains the origin: a point of A and a point of B coincide, so the ${who} overlap${k + 1 < trace.steps.length ? '. Next, the search for the penetration depth begins.' : '.'}`;
  }
  const at = `${step.simplex.length === 1 ? 'v is the only point of the simplex' : `v is the point of the ${names[step.simplex.length]} nearest to the origin`}: the distance is at most ${short(step.upper - radius)}. `;
  const bound = step.lower > 0 ? `the support point w proves that it is ${atLeast(step, radius)}; ` : 'the support point w lies beyond the origin, so no plane perpendicular to v separates them; ';
  if (k + 1 === trace.steps.length) return `${at}${bound}${endings[trace.result.stop]}`;
  const next = trace.steps[k + 1];
  if (step.simplex.some((p) => samePair(p, step.support))) return `${at}${bound}w is already in the simplex, but the bounds do not meet: the step is repeated${next.fallback ? ' in double-double arithmetic' : ''}.`;
  const kept = step.simplex.filter((p) => next.simplex.some((q) => samePair(p, q))).length;
  return `${at}${bound}w is new and nearer, so it joins the simplex${kept < step.simplex.length && !isDepth(next) ? `, and ${step.simplex.length - kept === 1 ? 'one vertex' : `${step.simplex.length - kept} vertices`} that v does not need ${step.simplex.length - kept === 1 ? 'is' : 'are'} removed` : ''}.`;
}
