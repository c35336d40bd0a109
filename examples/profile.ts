// Parts of the console in the browser: a page with the sizes of tables, a tab with the ranges of a table's numbers, and cells of
// type bool as ticks. Run it: `npm start -- --plugin ./examples/profile.ts`

import { definePlugin } from 'trellis'
import { consoleParts } from 'trellis/console'

const file = (name: string) => new URL(`./profile/${name}.js`, import.meta.url)

export default definePlugin({
  name: 'profile',
  dependencies: ['console'],
  register(engine) {
    engine.use(consoleParts).add({
      plugin: 'profile',
      pages: [
        { path: 'sizes', title: 'Sizes', group: 'data', icon: 'chart', module: file('sizes') },
        { path: 'webhook', title: 'Try a webhook', icon: 'globe', form: 'test_webhook' },
      ],
      tableTabs: [{ id: 'numbers', title: 'Numbers', module: file('numbers') }],
      cells: [{ types: ['bool'], module: file('tick') }],
      columnActions: [{ id: 'length', title: 'Count words', types: ['text', 'varchar'], module: file('words') }],
      commands: [{ id: 'cron', title: 'Show ticks of a schedule', operation: 'get_cron_ticks' }],
    })
  },
})
