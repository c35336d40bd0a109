import { catalogState } from './catalog-state.ts'
import { testOperations } from './suite.ts'

testOperations(catalogState)
