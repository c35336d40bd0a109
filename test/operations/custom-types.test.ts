import { customTypes } from './custom-types.ts'
import { testOperations } from './suite.ts'

testOperations(customTypes)
