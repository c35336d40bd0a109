// Other people's clients and servers are a project of their own.

import { installProject } from '../support/installed-project.ts'

/** Installs them where that is still to be done. */
export const installClients = (): Promise<void> => installProject(import.meta.dirname)
