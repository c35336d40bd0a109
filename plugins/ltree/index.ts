// Columns of ltree: comparisons of labels' paths with others, and with patterns of them.

import { definePlugin } from '../../sdk/index.ts'
import { ltreeOperators } from './operators.ts'

export default definePlugin({
  name: 'ltree',
  register({ comparisons }) {
    comparisons.add(...ltreeOperators)
  },
})
