import { actions } from './actions.ts'
import { testOperations } from './suite.ts'

testOperations(actions)
