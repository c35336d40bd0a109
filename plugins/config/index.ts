// `GET /v1alpha1/config`: facts about the server for clients such as a console.

import { definePlugin, option } from '../../sdk/index.ts'
import { configuration, members } from './routes.ts'

export default definePlugin({
  name: 'config',
  api: 'config',
  options: {
    environmentLabel: option.text({
      flag: 'environment-label',
      variable: 'ENVIRONMENT_LABEL',
      placeholder: 'TEXT',
      description: 'name of this environment for people, such as production; clients show it',
    }),
    environmentColour: option.text({
      flag: 'environment-colour',
      variable: 'ENVIRONMENT_COLOUR',
      placeholder: 'COLOUR',
      check: (colour: string) => (/^#[0-9a-f]{6}$/i.test(colour) ? null : 'Only expecting a colour such as #b3261e'),
      description: 'colour by which clients tell this environment from others, such as #b3261e',
    }),
  },
  register(engine) {
    engine.configuration.add(...members(engine))
    engine.routes.add(configuration(engine))
  },
})
