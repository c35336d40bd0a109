import { collections } from './collections.ts'
import { testOperations } from './suite.ts'

testOperations(collections)
