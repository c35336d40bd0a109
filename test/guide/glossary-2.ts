// The same with an option.

import { definePlugin, option } from 'trellis'

export default definePlugin({
  name: 'glossary',
  options: {
    glossaryTitle: option.textWithDefault('Glossary', {
      flag: 'glossary-title',
      variable: 'GLOSSARY_TITLE',
      description: 'what the glossary is called',
    }),
  },
  register(engine) {
    const { glossaryTitle: title } = engine.options
    engine.routes.add({ method: 'GET', url: '/glossary', auth: 'session', handle: () => ({ title }) })
  },
})
