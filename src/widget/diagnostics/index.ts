export { explainProblem } from './explainProblem.ts'
export { explainRefusal } from './explainRefusal.ts'
