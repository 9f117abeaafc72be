import "./field.css";
import "./search-field.css";
import { Search, X } from "lucide-react";
import type { Ref } from "react";
import { Button } from "react-aria-components/Button";
import { Input } from "react-aria-components/Input";
import { SearchField as AriaSearchField, type SearchFieldProps } from "react-aria-components/SearchField";

/** A field that filters what is below it. `label` names it for screen readers and is its placeholder. Escape empties it. */
export const SearchField = ({
  label,
  inputRef,
  ...props
}: Omit<SearchFieldProps, "className" | "children"> & {
  label: string;
  inputRef?: Ref<HTMLInputElement>;
}) => (
  <AriaSearchField {...props} aria-label={label} className="search-field">
    <Search aria-hidden />
    <Input className="input" placeholder={label} ref={inputRef ?? null} />
    <Button className="clear" aria-label="Clear the search">
      <X aria-hidden />
    </Button>
  </AriaSearchField>
);
