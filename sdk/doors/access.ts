// The promised part of the SDK for permissions and narrowing. Names leave it only in a major release.

export {
  type AccessOptions,
  type AccessService,
  type NarrowedTable,
  type TableAccess,
  updateInstead,
} from '../access.ts'
