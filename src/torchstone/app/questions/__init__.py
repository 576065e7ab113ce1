"""Questions of the bank: asked, answered, marked and scheduled; and what proves their answers."""
