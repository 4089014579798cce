/** What a person has chosen to look at. */
export interface Chosen {
  readonly tensor: number | null;
  readonly node: number | null;
}
