import { governance } from './governance.ts'
import { testOperations } from './suite.ts'

testOperations(governance)
