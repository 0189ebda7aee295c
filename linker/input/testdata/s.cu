extern "C" __global__ void s(float*p){*p+=2;}
static __global__ void t(float*p){*p+=3;}
int main(){t<<<1,1>>>(0);}
