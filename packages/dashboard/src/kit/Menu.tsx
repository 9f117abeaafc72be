import "./menu.css";
import { EllipsisVertical } from "lucide-react";
import type { ReactNode } from "react";
import { Menu as AriaMenu, MenuItem, MenuTrigger } from "react-aria-components/Menu";
import { Popover } from "react-aria-components/Popover";
import { Button } from "./Button.tsx";

/** An act in a menu. */
export interface MenuAct {
  label: string;
  icon?: ReactNode;
  isDanger?: boolean;
  isDisabled?: boolean;
  run: () => void;
}

/** A button with three dots that opens a menu of acts. `label` says what the acts are for, such as "More acts for Poll". */
export const ActMenu = ({ label, acts }: { label: string; acts: readonly MenuAct[] }) => (
  <MenuTrigger>
    <Button look="quiet" icon={<EllipsisVertical aria-hidden />} aria-label={label} />
    <Popover className="popover" placement="bottom end">
      <AriaMenu className="menu" onAction={(key) => acts[Number(key)]?.run()}>
        {acts.map(({ label, icon, isDanger = false, isDisabled = false }, index) => (
          <MenuItem
            key={label}
            id={index}
            textValue={label}
            isDisabled={isDisabled}
            className={`menu-item${isDanger ? " danger" : ""}`}
          >
            {icon}
            <span>{label}</span>
          </MenuItem>
        ))}
      </AriaMenu>
    </Popover>
  </MenuTrigger>
);
