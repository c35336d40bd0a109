import { data } from './data.ts'
import { testOperations } from './suite.ts'

testOperations(data)
