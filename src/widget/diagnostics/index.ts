export { explainProblem } from './explainProblem.ts'
export { explainUnavailable, isOriginRefused } from './explainUnavailable.ts'
