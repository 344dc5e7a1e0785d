import ObjectGraph

public class Author: _Author {
    // modelgen has made this file once and will not write it again.
}
