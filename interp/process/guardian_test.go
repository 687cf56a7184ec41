package process_test

func playShell()    {}
func playEmbedded() {}
