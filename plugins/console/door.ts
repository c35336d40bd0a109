// The door `trellis/console` for other plugins: parts of the console.

export type { ConsoleElement, ConsoleEnd, ConsoleIdentity, ConsoleModule, ConsoleServices } from './module-contract.ts'
export {
  type ConsoleCell,
  type ConsoleColumnAction,
  type ConsoleCommand,
  type ConsoleExtensions,
  type ConsoleIcon,
  type ConsolePage,
  type ConsoleParts,
  type ConsoleTableTab,
  consoleIcons,
  consoleParts,
  type ModuleFile,
} from './parts.ts'
