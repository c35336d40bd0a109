// The door `trellis/data` for other plugins. Importing it adds the plugin's parts to the types of documents and models.

export { type OfferedTables, offeredTables, type TableOffer } from './index.ts'
