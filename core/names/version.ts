import { readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import type { Dialect } from './dialect.ts'

const packageFile = findPackageJSON('.', import.meta.url)

/** The version of Trellis in the API: `v1.2.3`. */
export const version: string = `v${packageFile ? JSON.parse(readFileSync(packageFile, 'utf8')).version : '0.0.0'}`

/** The interface of an endpoint, which decides the form of answers and the words of errors. */
export type InterfaceName = '1.3' | '2'

/** The version of interface 2 that clients see. */
const secondInterface = 'v2.48.0'

/** The version that clients see, from which tools derive the features. */
export const reportedVersion = (dialect: Pick<Dialect, 'reportedVersion'>, interfaceName: InterfaceName): string =>
  interfaceName === '2' ? secondInterface : (dialect.reportedVersion ?? version)
