import { permissions } from './permissions.ts'
import { testOperations } from './suite.ts'

testOperations(permissions)
