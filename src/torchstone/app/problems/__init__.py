"""Problems as a learner and an author use them."""
