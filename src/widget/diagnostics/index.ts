export { explainProblem } from './explainProblem.ts'
export { explainRefusal, isOriginRefused } from './explainRefusal.ts'
