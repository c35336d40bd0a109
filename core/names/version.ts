import { readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'

const packageFile = findPackageJSON('.', import.meta.url)

/** The version of Trellis in the API: `v1.2.3`. */
export const version: string = `v${packageFile ? JSON.parse(readFileSync(packageFile, 'utf8')).version : '0.0.0'}`
