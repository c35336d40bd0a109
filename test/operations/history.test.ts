import { history } from './history.ts'
import { testOperations } from './suite.ts'

testOperations(history)
