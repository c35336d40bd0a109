import { relationships } from './relationships.ts'
import { testOperations } from './suite.ts'

testOperations(relationships)
