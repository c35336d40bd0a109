import { scheduled } from './scheduled.ts'
import { testOperations } from './suite.ts'

testOperations(scheduled)
