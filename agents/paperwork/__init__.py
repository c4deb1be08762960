"""Documents that an action offers: drafted where a model may, checked, written and rendered."""
