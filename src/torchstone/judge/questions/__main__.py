"""Entry point of the proving process."""

from torchstone.judge.questions.zygote import main

main()
