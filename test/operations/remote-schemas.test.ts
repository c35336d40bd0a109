import { remoteSchemas } from './remote-schemas.ts'
import { testOperations } from './suite.ts'

testOperations(remoteSchemas)
