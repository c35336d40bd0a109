import { testOperations } from './suite.ts'
import { tables } from './tables.ts'

testOperations(tables)
