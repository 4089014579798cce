"""What an operator is: how it is declared, called, recorded and found."""
