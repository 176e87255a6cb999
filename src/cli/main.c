#include <stdio.h>

#include "ooze/ooze.h"

int main(void)
{
    printf("ooze %s\n", ooze_version().text);
    return 0;
}
