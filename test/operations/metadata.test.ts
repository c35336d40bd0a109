import { metadata } from './metadata.ts'
import { testOperations } from './suite.ts'

testOperations(metadata)
