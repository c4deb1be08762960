"""Pictures and recordings that come with questions: what they are, by their content, and how long and large they may be."""
