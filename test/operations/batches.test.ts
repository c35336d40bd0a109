import { batches } from './batches.ts'
import { testOperations } from './suite.ts'

testOperations(batches)
