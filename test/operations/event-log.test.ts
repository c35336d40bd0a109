import { eventLog } from './event-log.ts'
import { testOperations } from './suite.ts'

testOperations(eventLog)
