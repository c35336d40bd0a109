import { computedFields } from './computed-fields.ts'
import { testOperations } from './suite.ts'

testOperations(computedFields)
