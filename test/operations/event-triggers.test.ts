import { eventTriggers } from './event-triggers.ts'
import { testOperations } from './suite.ts'

testOperations(eventTriggers)
