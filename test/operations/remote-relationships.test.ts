import { remoteRelationships } from './remote-relationships.ts'
import { testOperations } from './suite.ts'

testOperations(remoteRelationships)
