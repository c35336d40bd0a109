import { sql } from './sql.ts'
import { testOperations } from './suite.ts'

testOperations(sql)
