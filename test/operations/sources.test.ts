import { sources } from './sources.ts'
import { testOperations } from './suite.ts'

testOperations(sources)
