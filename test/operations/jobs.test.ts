import { jobs } from './jobs.ts'
import { testOperations } from './suite.ts'

testOperations(jobs)
