import { functions } from './functions.ts'
import { testOperations } from './suite.ts'

testOperations(functions)
