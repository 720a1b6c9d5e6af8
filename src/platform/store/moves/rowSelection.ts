import type { Table } from './tables.ts'

/** Which rows and columns of each table are copied. */
export interface RowSelection {
  columnsOf(table: Table): string[]
  /** The condition on the rows; `$1` is the first of `values`. */
  conditionOf(table: Table): string
  values: string[]
}

export const wholeDatabase: RowSelection = {
  columnsOf: ({ columns }) => columns,
  conditionOf: () => 'true',
  values: [],
}

/** The rows of one organization. Their running numbers are left out: the new database counts its own. */
export const ofOrganization = (organizationId: string): RowSelection => ({
  columnsOf: ({ columns, number }) => columns.filter(column => column !== number),
  conditionOf: table => table.ofOrganization,
  values: [organizationId],
})
